import type { ShareLink } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Choice } from '../../../ui/field.tsx'
import { timeInWords } from '../../../ui/time-in-words.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'

interface LinkChoiceProps {
  readonly link: string | undefined
  readonly onPick: (link: string | undefined) => void
}

/** The link that a visitor comes by, which may show less than all that is published. */
export function LinkChoice({ link, onPick }: LinkChoiceProps) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const { data: links = [] } = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'share-links'],
    queryFn: () => client.reflections.shareLinks(reflectionId),
  })
  return (
    <Choice
      label="By the link"
      value={link ?? ''}
      onChange={({ target }) => onPick(target.value || undefined)}
    >
      <option value="">One to all that is published</option>
      {link !== undefined && links.every(({ id }) => id !== link) && (
        <option value={link}>A link that is not listed</option>
      )}
      {links.map((one) => (
        <option key={one.id} value={one.id}>
          {linkInWords(one)}
        </option>
      ))}
    </Choice>
  )
}

const linkInWords = ({ namespaces, createdAt, revokedAt }: ShareLink): string =>
  `${namespaces ? namespaces.join(', ') : 'All that is published'}, made ${timeInWords(createdAt)}${revokedAt ? ' (revoked)' : ''}`
