import type { Reflection } from '@parley/contracts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { Question } from '../../ui/question.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { REFLECTIONS } from '../reflection-keys.ts'

/** The way out, for who is a member and need not ask an admin. */
export function LeaveReflection({ reflection: { id, displayName } }: { reflection: Reflection }) {
  const { client, me } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const asking = useOpener()
  const leave = useMutation({
    mutationFn: () => client.reflections.leave(id),
    onSuccess: async () => {
      await navigate({ to: '/' })
      await queries.invalidateQueries({ queryKey: REFLECTIONS })
    },
  })
  return (
    <>
      <Button className="self-start" {...asking.opener}>
        Leave this reflection
      </Button>
      {asking.isOpen && (
        <Question
          label="Leave this reflection"
          yes="Leave"
          no="Stay a member"
          doing={leave}
          onClose={asking.close}
        >
          <p>
            Leave {displayName}? You no longer see it, and only an admin of it can let you in again.
            {me.isInvited &&
              ' Where it is the only one that you are a member of, you are signed out for good.'}
          </p>
        </Question>
      )}
    </>
  )
}
