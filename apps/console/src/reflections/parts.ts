import type { Rights } from './rights-of.ts'

interface ReflectionPart {
  readonly label: string
  readonly to: '/reflections/$reflectionId' | `/reflections/$reflectionId/${PartName}`
  /** Where it is not for every member. */
  readonly isFor?: (rights: Rights) => boolean
}

type PartName = 'talk' | 'sources' | 'facts' | 'patches' | 'ask' | 'voice' | 'share' | 'runtime' | 'members'

/** The parts of a reflection, in the order in which they are offered. */
const PARTS: readonly ReflectionPart[] = [
  { label: 'Talk', to: '/reflections/$reflectionId/talk' },
  { label: 'Overview', to: '/reflections/$reflectionId' },
  { label: 'Sources', to: '/reflections/$reflectionId/sources' },
  { label: 'Facts', to: '/reflections/$reflectionId/facts' },
  { label: 'Patches', to: '/reflections/$reflectionId/patches' },
  { label: 'Ask', to: '/reflections/$reflectionId/ask' },
  { label: 'Voice', to: '/reflections/$reflectionId/voice' },
  { label: 'Share', to: '/reflections/$reflectionId/share', isFor: ({ mayManage }) => mayManage },
  { label: 'Runtime', to: '/reflections/$reflectionId/runtime' },
  { label: 'Members', to: '/reflections/$reflectionId/members', isFor: ({ mayManage }) => mayManage },
]

export const partsFor = (rights: Rights): readonly ReflectionPart[] =>
  PARTS.filter(({ isFor = () => true }) => isFor(rights))

/** How the page at an address within a reflection is called; undefined where it says so itself. */
export function partAt(pathname: string): string | undefined {
  const [part = '', within, generation] = pathname.split('/').slice(3)
  if (part === 'sources' && within) return undefined
  if (generation) return `Generation ${generation}`
  if (part === 'runtime' && within) return within.charAt(0).toUpperCase() + within.slice(1)
  return PARTS.find(({ to }) => to === `/reflections/$reflectionId${part === '' ? '' : `/${part}`}`)?.label
}
