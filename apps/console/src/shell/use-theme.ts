import { useState } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { applyTheme, keepTheme, keptTheme, type Theme } from './theme.ts'

/** The theme that this browser keeps, and how to choose another. */
export function useTheme() {
  const { browserKeep: keep } = useConsoleHost()
  const [theme, setTheme] = useState(() => keptTheme(keep))
  const chooseTheme = (chosen: Theme) => {
    keepTheme(keep, chosen)
    applyTheme(chosen)
    setTheme(chosen)
  }
  return { theme, chooseTheme }
}
