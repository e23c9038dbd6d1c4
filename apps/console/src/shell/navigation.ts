import type { Role } from '@parley/contracts'
import type { IconName } from '../ui/icon.tsx'

interface NavigationEntry {
  readonly label: string
  readonly to: '/' | '/sessions' | '/approvals' | '/reflections' | '/health'
  readonly icon: IconName
  /** Absent: shown to everybody. */
  readonly isFor?: (role: Role) => boolean
}

export const isAdmin = (role: Role): boolean => role === 'owner' || role === 'admin'

/** Operators and above decide on tool calls. */
export const mayDecide = (role: Role): boolean => isAdmin(role) || role === 'operator'

/** The console's pages, in the order of the side bar. */
const NAVIGATION: readonly NavigationEntry[] = [
  { label: 'Home', to: '/', icon: 'home' },
  { label: 'Reflections', to: '/reflections', icon: 'reflections' },
  { label: 'Sessions', to: '/sessions', icon: 'sessions' },
  { label: 'Approvals', to: '/approvals', icon: 'approvals', isFor: mayDecide },
  { label: 'Health', to: '/health', icon: 'health', isFor: isAdmin },
]

export const navigationFor = (role: Role): readonly NavigationEntry[] =>
  NAVIGATION.filter(({ isFor = () => true }) => isFor(role))
