import { useEffect, useEffectEvent } from 'react'

/** Handles an event of the window, while it is active. */
export function useWindowEvent<Type extends keyof WindowEventMap>(
  type: Type,
  handle: (event: WindowEventMap[Type]) => void,
  isActive = true,
): void {
  const onEvent = useEffectEvent(handle)
  useEffect(() => {
    if (!isActive) return undefined
    const listen = (event: WindowEventMap[Type]) => onEvent(event)
    window.addEventListener(type, listen)
    return () => window.removeEventListener(type, listen)
  }, [type, isActive])
}
