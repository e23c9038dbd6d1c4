import { useId, useRef } from 'react'
import type { WaitingCall } from '@parley/api-client'
import { useFocusAfter, focusMessageBoxWithKeyboard } from '../ui/focus.ts'
import { Button } from '../ui/button.tsx'
import { CodeBox } from '../ui/code-box.tsx'
import { DiffLineView } from '../ui/diff-line-view.tsx'
import { Notice } from '../ui/notice.tsx'
import { escapeInvisible } from '../ui/escape-invisible.ts'
import type { SessionReader } from './session-reader.ts'
import type { TurnRequest } from './session-state.ts'

interface WaitingCallProps {
  readonly call: WaitingCall
  readonly request: TurnRequest
  /** Undefined if this person may not decide. */
  readonly onDecide: SessionReader['decide'] | undefined
  /** Moves the focus after the decision; by default to the message box. */
  readonly focusNext?: () => void
}

/** A pending tool call with its preview and decision buttons. */
export function WaitingCallView(props: WaitingCallProps) {
  const { call, request, onDecide, focusNext = focusMessageBoxWithKeyboard } = props
  const { tool, target, preview } = call
  const descriptionId = useId()
  const box = useRef<HTMLElement>(null)
  useFocusAfter(box, focusNext)
  return (
    <section
      ref={box}
      aria-label={onDecide ? 'A tool call needs your approval' : 'A tool call needs an approval'}
      className="border-accent flex flex-col gap-3 border-s-2 ps-4 text-sm leading-6"
    >
      <div id={descriptionId}>
        <p>
          Allow <span className="font-mono">{escapeInvisible(tool)}</span> on this target?
        </p>
        <p
          dir="ltr"
          className="bg-shade border-line mt-1.5 max-h-40 overflow-auto rounded-sm border px-2.5 py-1.5 font-mono wrap-anywhere whitespace-pre-wrap"
        >
          {escapeInvisible(target)}
        </p>
      </div>
      {preview && <PreviewView preview={preview} />}
      {onDecide ? (
        <DecisionButtons
          descriptionId={descriptionId}
          call={call}
          isPending={request.kind === 'pending'}
          onDecide={onDecide}
        />
      ) : (
        <p className="text-soft">
          You cannot approve this: only operators and above can approve tool calls. Admins find it under
          Approvals.
        </p>
      )}
      {request.kind === 'refused' && <Notice>{request.reason}</Notice>}
    </section>
  )
}

interface DecisionButtonsProps {
  readonly descriptionId: string
  readonly call: WaitingCall
  readonly isPending: boolean
  readonly onDecide: SessionReader['decide']
}

function DecisionButtons({ descriptionId, call, isPending, onDecide }: DecisionButtonsProps) {
  const { grant } = call
  const scopeId = useId()
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          aria-describedby={descriptionId}
          aria-disabled={isPending}
          onClick={() => onDecide(call, 'allow')}
        >
          Allow once
        </Button>
        {grant && (
          <Button
            aria-describedby={scopeId}
            aria-disabled={isPending}
            onClick={() => onDecide(call, 'allow_session')}
          >
            Allow for this session
          </Button>
        )}
        <Button
          aria-describedby={descriptionId}
          aria-disabled={isPending}
          onClick={() => onDecide(call, 'refuse')}
        >
          Refuse
        </Button>
      </div>
      {grant && (
        <p id={scopeId} className="text-soft wrap-anywhere">
          “Allow for this session” permits <span className="font-mono">{escapeInvisible(grant.tool)}</span> on
          exactly <span className="font-mono">{escapeInvisible(grant.target)}</span> without asking again,
          until the session ends.
        </p>
      )}
    </>
  )
}

type CallPreview = NonNullable<WaitingCall['preview']>

function PreviewView({ preview: { kind, text } }: { preview: CallPreview }) {
  return (
    <CodeBox
      label={kind === 'diff' ? 'Proposed change' : 'Proposed action'}
      className={`max-h-[min(24rem,45dvh)] ${kind === 'diff' ? '' : 'px-2.5'}`}
    >
      {kind === 'diff' ? parseDiff(text).map((line, index) => <DiffLineView key={index} {...line} />) : text}
    </CodeBox>
  )
}

interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'about'
  readonly text: string
}

/** Parses a unified diff into lines. Only hunk headers distinguish a line `--- x` from a file name. */
export function parseDiff(diff: string): readonly DiffLine[] {
  let linesLeft: LinesLeft = NONE_LEFT
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const isWithin = linesLeft.old > 0 || linesLeft.new > 0
      if (!isWithin || linesLeft === NOT_KNOWN) {
        const head = HUNK.exec(line)
        if (head) linesLeft = { old: Number(head[1] ?? 1), new: Number(head[2] ?? 1) }
        if (line.startsWith('diff --git ')) linesLeft = NONE_LEFT
        if (head || ABOUT.test(line) || (!isWithin && NAMES_FILE.test(line))) return createNote(line)
      }
      if (LEFT_OUT.test(line)) {
        linesLeft = NOT_KNOWN
        return createNote(line)
      }
      const parsed = parseLine(line)
      linesLeft = subtractLine(parsed, linesLeft)
      return parsed
    })
}

/** The remaining lines of a hunk, per side. */
interface LinesLeft {
  readonly old: number
  readonly new: number
}

const NONE_LEFT: LinesLeft = { old: 0, new: 0 }
/** Marks the omitted middle of a diff. */
const NOT_KNOWN: LinesLeft = { old: Infinity, new: Infinity }

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const ABOUT = /^(?:diff --git |index |={5,}$)/
const NAMES_FILE = /^(?:---|\+\+\+) /
const LEFT_OUT = /^… \d+ lines are not shown here …$/

const createNote = (text: string): DiffLine => ({ kind: 'about', text })

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', ' ': 'same' }

function parseLine(line: string): DiffLine {
  const kind = line === '' ? 'same' : KINDS[line.charAt(0)]
  return kind ? { kind, text: line.slice(1) } : createNote(line)
}

function subtractLine({ kind }: DiffLine, linesLeft: LinesLeft): LinesLeft {
  if (linesLeft === NOT_KNOWN || kind === 'about') return linesLeft
  return {
    old: linesLeft.old - (kind === 'added' ? 0 : 1),
    new: linesLeft.new - (kind === 'removed' ? 0 : 1),
  }
}
