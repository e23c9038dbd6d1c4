import { useMutation } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import type { ShellHost } from './shell-context.ts'

/** Signing out, which a page may want to be asked about first. */
export function useSignOut(): Pick<ShellHost, 'signOut' | 'askBeforeSignOut'> {
  const { leave } = useConsoleHost()
  const { mutate, error } = useMutation({ mutationFn: leave })
  const asking = useRef<(go: () => void) => void>(undefined)
  const askBeforeSignOut = useCallback<ShellHost['askBeforeSignOut']>((ask) => {
    asking.current = ask
    return () => {
      asking.current = undefined
    }
  }, [])
  const go = () => mutate()
  return {
    askBeforeSignOut,
    signOut: { mutate: () => (asking.current ? asking.current(go) : go()), error },
  }
}
