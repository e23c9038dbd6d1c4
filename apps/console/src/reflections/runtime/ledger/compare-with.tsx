import { readWholeLedger } from '@parley/api-client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Choice } from '../../../ui/field.tsx'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'

interface CompareWithProps {
  readonly generation: number
  readonly beside: number | undefined
}

/** Chooses the generation that another one is held against. */
export function CompareWith({ generation, beside }: CompareWithProps) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const navigate = useNavigate()
  const { data: others = [] } = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'ledger', 'generations'],
    queryFn: async () => {
      const { entries } = await readWholeLedger(client.reflections, reflectionId)
      return [...new Set(entries.map((entry) => entry.generation))].toSorted((one, other) => other - one)
    },
  })
  const offered = new Set([...others, ...(beside === undefined ? [] : [beside])])
  return (
    <div className="w-72 max-w-full">
      <Choice
        label="Compare with"
        value={beside ?? ''}
        onChange={({ target: { value } }) =>
          void navigate({
            to: '/reflections/$reflectionId/runtime/ledger/$generation',
            params: { reflectionId, generation: String(generation) },
            search: value === '' ? {} : { beside: Number(value) },
          })
        }
      >
        <option value="">No other: show what it says</option>
        {[...offered]
          .filter((other) => other !== generation)
          .map((other) => (
            <option key={other} value={other}>
              Generation {other}
            </option>
          ))}
      </Choice>
    </div>
  )
}
