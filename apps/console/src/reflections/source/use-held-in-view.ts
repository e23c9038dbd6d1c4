import { useCallback, useRef } from 'react'

/** By these a person moves a page. */
const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/**
 * Keeps what it is given to in the middle of the page that it scrolls with, whatever is read or measured around it,
 * until somebody moves the page.
 */
export function useHeldInView(): (held: HTMLElement | null) => (() => void) | undefined {
  // Outlives what is held: a list draws it anew where one comes back to it.
  const isMoved = useRef(false)
  return useCallback((held) => {
    const page = held?.closest<HTMLElement>('[data-scrolls]')
    if (!held || !page || isMoved.current) return undefined
    const show = () =>
      held.scrollIntoView({ block: held.offsetHeight > page.clientHeight ? 'start' : 'center' })
    const around = new ResizeObserver(show)
    for (const one of ancestorsUpTo(page, held)) around.observe(one)
    const letGo = () => {
      around.disconnect()
      page.removeEventListener('scroll', show)
      for (const move of MOVES) window.removeEventListener(move, onMove, true)
    }
    const onMove = () => {
      isMoved.current = true
      letGo()
    }
    // A list that begins at a row goes on towards it while it measures.
    page.addEventListener('scroll', show)
    for (const move of MOVES) window.addEventListener(move, onMove, { capture: true, passive: true })
    show()
    return letGo
  }, [])
}

const ancestorsUpTo = (last: HTMLElement, { parentElement }: HTMLElement): readonly HTMLElement[] =>
  !parentElement || parentElement === last ? [last] : [parentElement, ...ancestorsUpTo(last, parentElement)]
