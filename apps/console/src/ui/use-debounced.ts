import { useEffect, useState } from 'react'

export const MAX_SEARCH_LENGTH = 200

const DEBOUNCE_MS = 250

/** The value, once it has not changed for a moment. An empty text counts at once. */
export function useDebounced<Value extends string | number>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value === '' ? 0 : DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
