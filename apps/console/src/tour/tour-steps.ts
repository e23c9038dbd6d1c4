import type { Reflection, ReflectionId } from '@parley/contracts'
import { rightsOf } from '../reflections/rights-of.ts'

/** One thing that the tour shows. */
export interface TourStep {
  readonly title: string
  readonly text: string
  /** The page that it stands on. */
  readonly href: string
  /** What finds it there; where nothing is found, the step is told all the same. */
  readonly anchor: string
}

/** What a newcomer is shown, with a reflection to show it on, or without one; nothing that is not for them to do. */
export function tourSteps(reflection: Pick<Reflection, 'id' | 'role'> | undefined): readonly TourStep[] {
  return [
    ...(reflection ? withReflection(reflection) : WITHOUT_REFLECTION),
    {
      title: 'What was said',
      text: 'Every conversation is kept here: what was said, what was looked up and done, what it cost. Ctrl K, or ⌘ K, finds anything from anywhere.',
      href: '/',
      anchor: 'nav[aria-label="Main"] a[href="/sessions"]',
    },
  ]
}

const WITHOUT_REFLECTION: readonly TourStep[] = [
  {
    title: 'Reflections',
    text: 'A reflection speaks for a person, from what they wrote and said. There is none yet; here one is made.',
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
      text: 'A reflection speaks for a person, from what they wrote and said. This button starts a conversation, by voice or by typing.',
      href: '/',
      anchor: '[data-tour="talk"]',
    },
    {
      title: 'Where answers come from',
      text: 'All that it says stands in a source. Every answer names the words that bear it out, and opens them at their place.',
      href: page,
      anchor: `${PARTS} a[href$="/sources"]`,
    },
    {
      title: 'What is public',
      text: 'Its knowledge is kept in namespaces. What is private is known to its members alone.',
      href: page,
      anchor: 'ul[aria-label="Namespaces"]',
    },
    ...(rightsOf(role).mayManage ? makingPublic(id) : []),
  ]
}

/** What takes an admin. */
function makingPublic(reflectionId: ReflectionId): readonly TourStep[] {
  const page = pageOf(reflectionId)
  return [
    {
      title: 'Publish a part of it',
      text: 'You are shown what becomes public before it does. Unpublishing takes it back at once: nobody finds it any more, and a call that is on says goodbye at its next question.',
      href: page,
      anchor: 'button[aria-label^="Publish "]',
    },
    {
      title: 'Share it',
      text: 'A link lets anybody talk with what is published, as often and as long as you say, without signing in.',
      href: page,
      anchor: `${PARTS} a[href$="/share"]`,
    },
  ]
}
