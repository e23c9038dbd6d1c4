import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import type { MySettings } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { useReflections } from '../reflections/use-reflections.ts'

/** Starts the tour once for each person on their first visit of the home page, and on request. */
export function useTour() {
  /** The number of starts while the tour is open: another start begins again. */
  const [run, setRun] = useState(0)
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { settings, save } = useMySettings()
  const { items } = useReflections()

  const isDue = settings?.tour === 'due' && items !== undefined && pathname === '/'
  const startOnce = useEffectEvent(() => setRun((before) => before || 1))
  useEffect(() => {
    if (isDue) startOnce()
  }, [isDue])

  return {
    run,
    reflection: items?.[0],
    start: () => {
      setRun(run + 1)
      if (pathname !== '/') void navigate({ to: '/' })
    },
    end: (how: 'skipped' | 'done') => {
      setRun(0)
      save({ tour: how })
    },
  }
}

const MY_SETTINGS = ['my-settings'] as const

function useMySettings() {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const { data: settings } = useQuery({
    queryKey: MY_SETTINGS,
    queryFn: () => client.mySettings.get(),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 3,
  })
  const saving = useMutation({ mutationFn: (next: MySettings) => client.mySettings.set(next), retry: 3 })
  const save = (next: MySettings) => {
    queries.setQueryData(MY_SETTINGS, next)
    saving.mutate(next)
  }
  return { settings, save }
}
