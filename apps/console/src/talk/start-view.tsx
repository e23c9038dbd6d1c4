import { type ReactNode, useEffect, useState } from 'react'
import { RECORD_LABELS } from '../session/text-labels.ts'
import { Button } from '../ui/button.tsx'
import { CheckField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Panel } from '../ui/panel.tsx'
import { ConfirmForm } from '../ui/confirm-form.tsx'
import { type MemberHost, type TalkOptions, useTalkHost } from './talk-host.ts'

interface StartViewProps {
  readonly isStarting: boolean
  readonly onSpeak: (options: TalkOptions) => void
  readonly onType: (options: TalkOptions) => void
}

const ABOUT = {
  visitor:
    'This is an AI version of a person, made from what they wrote and said. Each answer shows its sources.',
  member: 'It answers from its sources and shows them.',
} as const

const INTERVIEW = 'One question at a time. You can skip any.'

/** The start of a conversation: voice or text, with options for members. */
export function StartView({ isStarting, onSpeak, onType }: StartViewProps) {
  const { name, who, hasVoice, isLearnedFrom, member } = useTalkHost()
  const [isOffRecord, setOffRecord] = useState(false)
  const [isInterview, setInterview] = useState(false)
  const options: TalkOptions = { isOffRecord: isOffRecord && !isInterview, isInterview }
  const maySpeak = hasVoice || isInterview
  const unlessStarting = (start: (options: TalkOptions) => void) => () => isStarting || start(options)
  return (
    <div className="mx-auto flex w-full max-w-md flex-col items-center gap-6 px-6 pt-[max(2rem,8dvh)] pb-8 text-center">
      <div className="flex flex-col gap-2">
        <h2 className="font-serif text-2xl text-balance wrap-anywhere">
          {isInterview ? 'Be interviewed' : `Talk with ${name}`}
        </h2>
        <p className="text-soft text-sm leading-6 text-pretty">{isInterview ? INTERVIEW : ABOUT[who]}</p>
      </div>
      {maySpeak && (
        <button
          type="button"
          aria-disabled={isStarting}
          onClick={unlessStarting(onSpeak)}
          className="bg-accent text-on-accent flex size-32 flex-col items-center justify-center gap-1.5 rounded-full font-medium transition-opacity hover:opacity-90 aria-disabled:opacity-50 [&_svg]:size-9"
        >
          <Icon name="microphone" />
          Talk
        </button>
      )}
      {member && !maySpeak && <NoVoice member={member} />}
      <Button
        icon="keyboard"
        variant={maySpeak ? 'secondary' : 'primary'}
        className="min-h-11 px-5"
        aria-disabled={isStarting}
        onClick={unlessStarting(onType)}
      >
        {maySpeak ? 'Type instead' : 'Type'}
      </Button>
      {isLearnedFrom !== undefined && (
        <p className="text-soft text-sm leading-6 text-pretty">
          {RECORD_LABELS[isLearnedFrom ? 'ingest' : 'keep-only']}.
        </p>
      )}
      {member && (
        <fieldset className="border-line flex w-full flex-col gap-2 border-t pt-5 text-start">
          <legend className="sr-only">How to talk</legend>
          <CheckField
            label="Off the record"
            help="Nothing is saved: no transcript, no search, no learning."
            checked={options.isOffRecord}
            disabled={isInterview}
            onCheck={setOffRecord}
          />
          {member.mayBeInterviewed && (
            <CheckField
              label="Be interviewed"
              help="It asks about topics it does not know yet. Your answers become a source once approved."
              checked={isInterview}
              onCheck={setInterview}
            />
          )}
          {isInterview && <NextTopics loadNextTopics={member.loadNextTopics} />}
        </fieldset>
      )}
    </div>
  )
}

/** Why voice is unavailable and who can fix it; as high as the missing button. */
const NoVoice = ({ member: { voiceProblems, mayChooseVoice, PageLink } }: { member: MemberHost }) => (
  <div className="text-soft flex min-h-32 flex-col items-center justify-center gap-3 text-sm leading-6">
    <p>
      Voice calls are unavailable: {voiceProblems.join(', ')}.
      {!mayChooseVoice && ' Its owner can choose a voice.'}
    </p>
    {mayChooseVoice && <PageLink page="voice-settings" />}
  </div>
)

/** Topics without an answer yet. */
function NextTopics({ loadNextTopics }: Pick<MemberHost, 'loadNextTopics'>) {
  const [topics, setTopics] = useState<readonly string[]>([])
  useEffect(() => {
    let isLeft = false
    void loadNextTopics()
      .catch(() => [])
      .then((loaded) => isLeft || setTopics(loaded))
    return () => {
      isLeft = true
    }
  }, [loadNextTopics])
  return (
    <p role="status" className="text-soft min-h-6 text-sm leading-6 wrap-anywhere whitespace-pre-line">
      {topics.length > 0 && `Next questions:\n${topics.join('\n')}`}
    </p>
  )
}

interface LeavePanelProps {
  readonly isOpen: boolean
  readonly onStay: () => void
  readonly onLeave: () => void
  readonly children: ReactNode
}

/** Asks whether to leave a running call. */
export const LeavePanel = ({ isOpen, onStay, onLeave, children }: LeavePanelProps) => (
  <Panel
    title="Leave the call?"
    place="middle"
    open={isOpen}
    onOpenChange={(open) => {
      if (!open) onStay()
    }}
  >
    <div className="pt-3">
      <ConfirmForm
        label="Leave the call?"
        yes="End the call and leave"
        no="Stay in the call"
        action={{ isPending: false, error: null, mutate: onLeave }}
        onClose={onStay}
      >
        <p>{children}</p>
      </ConfirmForm>
    </div>
  </Panel>
)
