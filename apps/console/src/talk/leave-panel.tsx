import type { ReactNode } from 'react'
import { Panel } from '../ui/panel.tsx'
import { Question } from '../ui/question.tsx'

interface LeavePanelProps {
  readonly isAsked: boolean
  readonly onStay: () => void
  readonly onLeave: () => void
  readonly children: ReactNode
}

/** The question whether to leave a call that is on. */
export const LeavePanel = ({ isAsked, onStay, onLeave, children }: LeavePanelProps) => (
  <Panel
    title="Leave the call?"
    place="middle"
    open={isAsked}
    onOpenChange={(open) => {
      if (!open) onStay()
    }}
  >
    <div className="pt-3">
      <Question
        label="Leave the call?"
        yes="End the call and leave"
        no="Stay in the call"
        doing={{ isPending: false, error: null, mutate: onLeave }}
        onClose={onStay}
      >
        <p>{children}</p>
      </Question>
    </div>
  </Panel>
)
