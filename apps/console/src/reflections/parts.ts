import type { Rights } from './rights-of.ts'

interface ReflectionPart {
  readonly label: string
  readonly to: '/reflections/$reflectionId' | `/reflections/$reflectionId/${PartName}`
  /** Absent: every member sees it. */
  readonly isVisible?: (rights: Rights) => boolean
}

type PartName = 'talk' | 'sources' | 'facts' | 'patches' | 'ask' | 'voice' | 'share' | 'runtime' | 'members'

/** The pages of a reflection, in the order of their links. */
const PARTS: readonly ReflectionPart[] = [
  { label: 'Talk', to: '/reflections/$reflectionId/talk' },
  { label: 'Overview', to: '/reflections/$reflectionId' },
  { label: 'Sources', to: '/reflections/$reflectionId/sources' },
  { label: 'Facts', to: '/reflections/$reflectionId/facts' },
  { label: 'Review', to: '/reflections/$reflectionId/patches' },
  { label: 'Ask', to: '/reflections/$reflectionId/ask' },
  { label: 'Voice', to: '/reflections/$reflectionId/voice' },
  { label: 'Share', to: '/reflections/$reflectionId/share', isVisible: ({ mayManage }) => mayManage },
  { label: 'Runtime', to: '/reflections/$reflectionId/runtime' },
  { label: 'Members', to: '/reflections/$reflectionId/members', isVisible: ({ mayManage }) => mayManage },
]

export const partsFor = (rights: Rights): readonly ReflectionPart[] =>
  PARTS.filter(({ isVisible = () => true }) => isVisible(rights))

/** Pages below Runtime, by the last part of their path. */
const RUNTIME_TITLES: Readonly<Record<string, string>> = { ledger: 'Version history', variables: 'Variables' }

/** The browser title for a path within a reflection; undefined for pages that set their own. */
export function pageTitleAt(pathname: string): string | undefined {
  const [part = '', within, version] = pathname.split('/').slice(3)
  if (part === 'sources' && within) return undefined
  if (version) return `Version ${version}`
  if (part === 'runtime' && within) return RUNTIME_TITLES[within]
  return PARTS.find(({ to }) => to === `/reflections/$reflectionId${part === '' ? '' : `/${part}`}`)?.label
}
