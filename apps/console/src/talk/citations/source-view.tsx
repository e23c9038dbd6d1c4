import type { Citation } from '@parley/contracts'
import { type ComponentType, createContext } from 'react'
import { visibleText } from '../../ui/visible-text.ts'

export interface CitedSourceProps {
  readonly source: Citation['evidence'][number]['source']
  /** The words that it is cited for, as they stand in it. */
  readonly words: string
}

/** Who cannot open a source reads its title. */
function SourceTitle({ source }: CitedSourceProps) {
  return <span className="text-ink">{visibleText(source.title)}</span>
}

/** How a source that is cited is shown: members can open it at the place. */
export const CitedSourceContext = createContext<ComponentType<CitedSourceProps>>(SourceTitle)
