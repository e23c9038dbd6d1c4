import { useEffect, useEffectEvent, useState } from 'react'

interface DropZoneProps {
  readonly namespace: string
  readonly onFiles: (files: readonly File[]) => void
}

/** Takes files that are dropped anywhere on the page; otherwise the browser would leave the page for them. */
export function DropZone({ namespace, onFiles }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const take = useEffectEvent(onFiles)

  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    // The pointer goes from element to element; it has left the page where there is no next one.
    const onLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const onDrop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(false)
      take([...event.dataTransfer.files])
    }
    window.addEventListener('dragover', onOver)
    window.addEventListener('dragleave', onLeave)
    window.addEventListener('drop', onDrop)
    return () => {
      window.removeEventListener('dragover', onOver)
      window.removeEventListener('dragleave', onLeave)
      window.removeEventListener('drop', onDrop)
    }
  }, [])

  if (!isOver) return null
  return (
    <div className="bg-paper/90 border-accent pointer-events-none fixed inset-2 z-20 flex items-center justify-center rounded-lg border-2 border-dashed">
      <p className="font-serif text-xl">
        Drop to add to <span className="font-mono text-lg">{namespace}</span>
      </p>
    </div>
  )
}
