import type { MySettings } from '@parley/contracts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { useReflections } from '../reflections/use-reflections.ts'
import { focusPage } from '../ui/focus-page.ts'
import { type TourStep, tourSteps } from './tour-steps.ts'

export interface TourHost {
  /** Absent while it is not shown. */
  readonly step: TourStep | undefined
  readonly place: number
  readonly count: number
  readonly start: () => void
  readonly go: (place: number) => void
  readonly end: (how: 'skipped' | 'done') => void
}

/** Shown once to each person, when they first come home, and whenever they ask for it. */
export function useTour(): TourHost {
  const [place, setPlace] = useState<number>()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { settings, keep } = useMySettings()
  const { items } = useReflections()
  const steps = tourSteps(items?.[0])
  const step = place === undefined ? undefined : steps[place]

  const go = (next: number) => {
    setPlace(next)
    const href = steps[next]?.href
    if (href !== undefined && href !== pathname) void navigate({ href })
  }
  const end = (how: 'skipped' | 'done') => {
    setPlace(undefined)
    keep({ tour: how })
    focusPage()
  }

  const isDue = settings?.tour === 'due' && items !== undefined && pathname === '/'
  const begin = useEffectEvent(() => setPlace((before) => before ?? 0))
  useEffect(() => {
    if (isDue) begin()
  }, [isDue])

  // Who goes elsewhere by themselves has begun already.
  const wasLeft = useEffectEvent(() => {
    if (step && pathname !== step.href) {
      setPlace(undefined)
      keep({ tour: 'skipped' })
    }
  })
  useEffect(() => wasLeft(), [pathname])

  return { step, place: place ?? 0, count: steps.length, start: () => go(0), go, end }
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
  const keep = (next: MySettings) => {
    queries.setQueryData(MY_SETTINGS, next)
    saving.mutate(next)
  }
  return { settings, keep }
}
