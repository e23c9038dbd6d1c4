import { Panel } from '../ui/panel.tsx'
import { Question } from '../ui/question.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { OpenedLink } from './use-sign-in.ts'

/** Asks before somebody who is signed in becomes somebody else, or says that the link is no good. */
export function LinkQuestion({ here, there, become, stay }: OpenedLink) {
  const name = visibleText(here.label)
  const isGood = typeof there !== 'string'
  const title = isGood ? 'Become somebody else?' : 'This link signs nobody in'
  return (
    <Panel title={title} place="middle" open onOpenChange={(open) => open || stay()}>
      <div className="pt-3 break-words">
        <Question
          label={title}
          yes={isGood ? `Become ${visibleText(there.label)}` : 'Try it again'}
          no={`Stay ${name}`}
          doing={{ isPending: false, error: null, mutate: become }}
          onClose={stay}
        >
          {isGood ? (
            <>
              <p>
                You are signed in as {name}. Become {visibleText(there.label)}?
              </p>
              <p className="text-soft">
                It is so in every tab, and a call that is on ends. What you were writing is kept for you.
              </p>
            </>
          ) : (
            <p>
              {there} You are still signed in as {name}.
            </p>
          )}
        </Question>
      </div>
    </Panel>
  )
}
