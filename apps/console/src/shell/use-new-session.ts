import { useNavigate } from '@tanstack/react-router'
import { useConsoleHost } from '../app/console-host.ts'
import { focusMessageBoxByKeys } from '../session/message-box.ts'

/** Opens the page on which a session begins. Undefined for who was invited to a reflection: they may use no agent of the server. */
export function useNewSession(): (() => void) | undefined {
  const { me } = useConsoleHost()
  const navigate = useNavigate()
  const open = () => void navigate({ to: '/sessions/new' }).then(focusMessageBoxByKeys)
  return me.isInvited ? undefined : open
}
