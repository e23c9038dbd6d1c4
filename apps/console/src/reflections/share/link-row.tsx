import { linkStanding, type LinkStanding, type ShareLink } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { Question } from '../../ui/question.tsx'
import { timeInWords } from '../../ui/time-in-words.ts'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflection.ts'
import { usesInWords } from './uses-in-words.ts'

const STANDINGS: Record<LinkStanding, { readonly says: string; readonly look: string }> = {
  good: { says: 'good', look: 'text-accent' },
  used_up: { says: 'used up', look: 'text-ink' },
  over: { says: 'over', look: 'text-ink' },
  revoked: { says: 'revoked', look: 'text-alarm' },
}

export function LinkRow({ link, now }: { link: ShareLink; now: number }) {
  const { namespaces, reaches, expiresAt, createdAt } = link
  const asking = useOpener()
  const standing = linkStanding(link, now)
  const { says, look } = STANDINGS[standing]
  return (
    <li data-standing={standing} className="flex flex-col gap-3 py-3 text-sm leading-6">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <p>
            <span className={`font-medium ${look}`}>{says}</span> · {usesInWords(link)}
            {expiresAt && (
              <>
                {' · '}
                {standing === 'over' ? 'was over ' : 'until '}
                <time dateTime={expiresAt}>{timeInWords(expiresAt)}</time>
              </>
            )}
          </p>
          <p className="text-soft wrap-anywhere">
            {namespaces ? namespaces.join(', ') : 'all that is public'} · made{' '}
            <time dateTime={createdAt}>{timeInWords(createdAt)}</time>
          </p>
          {standing === 'good' && reaches.length === 0 && (
            <p>Nobody gets in by it until something of that is published.</p>
          )}
        </div>
        {standing !== 'revoked' && (
          <Button
            look="bare"
            aria-label={`Revoke the link made ${timeInWords(createdAt)}`}
            {...asking.opener}
          >
            Revoke
          </Button>
        )}
      </div>
      {asking.isOpen && standing !== 'revoked' && <RevokeLink link={link} onClose={asking.close} />}
    </li>
  )
}

function RevokeLink({ link, onClose }: { link: ShareLink; onClose: () => void }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const revoke = useReflectionChange(reflectionId, (reflections) =>
    reflections.unshare({ reflectionId, linkId: link.id }),
  )
  return (
    <Question
      label={`Revoke the link made ${timeInWords(link.createdAt)}`}
      yes="Revoke for good"
      no="Keep it"
      doing={revoke}
      onClose={onClose}
    >
      <p>Revoke this link? Nobody comes in by it any more, and whoever is talking by it is out at once.</p>
    </Question>
  )
}
