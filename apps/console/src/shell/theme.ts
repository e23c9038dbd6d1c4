import type { Keep } from '../app/keep.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const NAME = 'theme'

export function keptTheme(keep: Keep): Theme {
  const kept = keep.read(NAME)
  return THEMES.find((theme) => theme === kept) ?? 'system'
}

export function keepTheme(keep: Keep, theme: Theme): void {
  keep.write(NAME, theme === 'system' ? undefined : theme)
}

/** The style sheet follows the system where the page has neither class. */
export function applyTheme(theme: Theme): void {
  document.documentElement.classList.toggle('light', theme === 'light')
  document.documentElement.classList.toggle('dark', theme === 'dark')
}
