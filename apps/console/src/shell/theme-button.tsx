import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useShell } from './shell-context.ts'
import { THEMES } from './theme.ts'

export function ThemeButton() {
  const { theme, chooseTheme } = useShell()
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return (
    <Button
      look="bare"
      onClick={() => chooseTheme(next)}
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}`}
    >
      <Icon name="theme" />
    </Button>
  )
}
