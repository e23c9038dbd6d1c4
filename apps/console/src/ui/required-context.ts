import { createContext, use } from 'react'

/** A context without a default value, and the hook that reads it. */
export function createRequiredContext<Value>(name: string) {
  const Context = createContext<Value | undefined>(undefined)
  const useValue = (): Value => {
    const value = use(Context)
    if (value === undefined) throw new Error(`${name} is missing above this component.`)
    return value
  }
  return [Context, useValue] as const
}
