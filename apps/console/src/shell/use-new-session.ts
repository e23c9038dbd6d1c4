import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useConsoleHost } from '../app/console-host.ts'
import { SESSIONS } from './use-sessions.ts'

/** Undefined for who was invited to a reflection, for whom the agents of the server are not. */
export function useNewSession() {
  const { client, me } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const start = useMutation({
    mutationFn: () => client.sessions.start(),
    onSuccess: async ({ sessionId }) => {
      await navigate({ to: '/sessions/$sessionId', params: { sessionId } })
      await queries.invalidateQueries({ queryKey: SESSIONS })
    },
  })
  return me.isInvited ? undefined : start
}
