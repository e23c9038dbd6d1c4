import { useConsoleHost } from '../app/console-host.ts'
import { type Pages, usePages } from '../ui/use-pages.ts'
import type { Reflection } from '@parley/contracts'
import { REFLECTIONS } from './reflection-keys.ts'

/** The first one may be made at any moment: a server that is new brings one along. */
const LOOK_AGAIN_MS = { none: 2_500, some: 30_000 } as const

/** The reflections that this person may see, latest first. */
export function useReflections(): Pages<Reflection> {
  const { client } = useConsoleHost()
  return usePages({
    key: REFLECTIONS,
    read: (page) => client.reflections.list(page),
    lookAgainMs: (items) => (items.length === 0 ? LOOK_AGAIN_MS.none : LOOK_AGAIN_MS.some),
  })
}
