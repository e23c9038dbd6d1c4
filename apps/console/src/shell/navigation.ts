import type { IconName } from '../ui/icon.tsx'

interface NavigationEntry {
  readonly label: string
  readonly to: '/' | '/reflections'
  readonly icon: IconName
}

/** The console's pages, in the order of the side bar. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { label: 'Sessions', to: '/', icon: 'sessions' },
  { label: 'Reflections', to: '/reflections', icon: 'reflections' },
]
