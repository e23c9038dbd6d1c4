import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useConsoleHost } from '../app/console-host.ts'
import { SESSIONS } from './use-sessions.ts'

export function useNewSession() {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => client.sessions.start(),
    onSuccess: async ({ sessionId }) => {
      await navigate({ to: '/sessions/$sessionId', params: { sessionId } })
      await queries.invalidateQueries({ queryKey: SESSIONS })
    },
  })
}
