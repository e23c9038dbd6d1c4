import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import type { MySettings, Reflection, ReflectionId } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { rightsOf } from '../reflections/rights-of.ts'
import { useReflections } from '../reflections/use-reflections.ts'
import { focusPage } from '../ui/focus-page.ts'

/** One step of the tour. */
export interface TourStep {
  readonly title: string
  readonly text: string
  /** The page it is shown on. */
  readonly href: string
  /** The selector of its element; the step is shown even if nothing matches. */
  readonly anchor: string
}

/** The tour's steps. Skips actions that the person's role does not allow. */
export function tourSteps(reflection: Pick<Reflection, 'id' | 'role'> | undefined): readonly TourStep[] {
  return [
    ...(reflection ? withReflection(reflection) : WITHOUT_REFLECTION),
    {
      title: 'Sessions',
      text: 'Every conversation is saved here, with its messages, sources, tool calls and cost. Press Ctrl K or ⌘ K to search everything.',
      href: '/',
      anchor: 'nav[aria-label="Main"] a[href="/sessions"]',
    },
  ]
}

const WITHOUT_REFLECTION: readonly TourStep[] = [
  {
    title: 'Reflections',
    text: 'A reflection is an AI version of a person, made from what they wrote and said. Create your first one here.',
    href: '/',
    anchor: 'nav[aria-label="Main"] a[href="/reflections"]',
  },
]

const PARTS = '[aria-label="Parts of the reflection"]'

const pageOf = (reflectionId: ReflectionId): string => `/reflections/${reflectionId}`

function withReflection({ id, role }: Pick<Reflection, 'id' | 'role'>): readonly TourStep[] {
  const page = pageOf(id)
  return [
    {
      title: 'Talk to it',
      text: 'A reflection is an AI version of a person, made from what they wrote and said. This button starts a conversation, by voice or text.',
      href: '/',
      anchor: '[data-tour="talk"]',
    },
    {
      title: 'Where answers come from',
      text: 'Everything comes from your sources. Every answer shows its supporting quote and opens it in the source.',
      href: page,
      anchor: `${PARTS} a[href$="/sources"]`,
    },
    {
      title: 'Public and private',
      text: 'Its knowledge is organized in folders. Only members can see private folders.',
      href: page,
      anchor: 'ul[aria-label="Namespaces"]',
    },
    ...(rightsOf(role).mayManage ? makingPublic(id) : []),
  ]
}

/** Steps for admins. */
function makingPublic(reflectionId: ReflectionId): readonly TourStep[] {
  const page = pageOf(reflectionId)
  return [
    {
      title: 'Publish a folder',
      text: 'You see a preview before anything becomes public. Unpublishing takes effect at once and ends calls that used the folder.',
      href: page,
      anchor: 'button[aria-label^="Publish "]',
    },
    {
      title: 'Share it',
      text: 'A link lets anyone talk with the public part without signing in. You set its expiry and maximum uses.',
      href: page,
      anchor: `${PARTS} a[href$="/share"]`,
    },
  ]
}

export interface TourHost {
  /** Undefined while the tour is hidden. */
  readonly step: TourStep | undefined
  readonly place: number
  readonly count: number
  readonly start: () => void
  readonly go: (place: number) => void
  readonly end: (how: 'skipped' | 'done') => void
}

/** Starts once for each person on their first visit of the home page, and on request. */
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

  // A person who navigates away skips the tour.
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
