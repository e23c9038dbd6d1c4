import { useEffect, useEffectEvent } from 'react'
import { DropZone } from './drop-zone.tsx'
import { pastedOutside } from './pasted-outside.ts'
import type { Giving } from './use-giving.ts'

/** Takes files that are dropped, and what is pasted outside of every field, wherever one is in a reflection. */
export function GiveAnywhere({ giving }: { giving: Giving }) {
  const take = useEffectEvent((event: ClipboardEvent) => {
    const { files = [], text = '' } = pastedOutside(event) ?? {}
    if (files.length > 0) giving.files(files)
    else if (text.trim() !== '') giving.showPasted(text)
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => take(event)
    window.addEventListener('paste', onPaste)
    return () => window.removeEventListener('paste', onPaste)
  }, [])
  return <DropZone namespace={giving.namespace} onFiles={giving.files} />
}
