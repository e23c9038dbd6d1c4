import { useState } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { applyTheme, keepTheme, keptTheme, THEMES } from './theme.ts'

export function ThemeButton() {
  const { keep } = useConsoleHost()
  const [theme, setTheme] = useState(() => keptTheme(keep))
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  const choose = () => {
    keepTheme(keep, next)
    applyTheme(next)
    setTheme(next)
  }
  return (
    <Button look="bare" onClick={choose} aria-label={`Theme: ${theme}`} title={`Theme: ${theme}`}>
      <Icon name="theme" />
    </Button>
  )
}
