import { useEffect, useRef } from 'react'

const BARS = [0.35, 0.7, 1, 0.7, 0.35]

/** How loud it is, drawn as it changes without drawing the page anew. */
export function LevelMeter({ label, level }: { label: string; level: () => number }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let frame = requestAnimationFrame(function draw() {
      const now = level()
      const bars = box.current?.children ?? []
      for (const [index, bar] of Array.from(bars).entries()) {
        const height = Math.max(0.12, Math.min(1, now * 2.2) * (BARS[index] ?? 1))
        if (bar instanceof HTMLElement) bar.style.transform = `scaleY(${height})`
      }
      frame = requestAnimationFrame(draw)
    })
    return () => cancelAnimationFrame(frame)
  }, [level])
  return (
    <div role="img" aria-label={label} ref={box} className="flex h-7 items-center gap-1">
      {BARS.map((_, index) => (
        <span key={index} className="bg-accent h-full w-1 origin-center scale-y-[0.12] rounded-full" />
      ))}
    </div>
  )
}
