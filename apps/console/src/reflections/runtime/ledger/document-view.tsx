import { visibleText } from '../../../ui/visible-text.ts'
import type { DocumentPart, GenerationDocument } from './documents-of.ts'

interface DocumentViewProps {
  readonly document: GenerationDocument
  readonly isOpen: boolean
}

export function DocumentView({ document: { title, about, parts }, isOpen }: DocumentViewProps) {
  return (
    <details open={isOpen} className="group">
      <summary className="before:text-soft relative flex min-h-11 flex-wrap items-baseline gap-x-3 py-2.5 ps-5 text-sm before:absolute before:start-0 before:content-['▸'] group-open:before:content-['▾']">
        <span className="font-medium">{title}</span>
        <span className="text-soft">{about}</span>
      </summary>
      <div className="flex flex-col gap-4 pb-5 ps-5 text-sm leading-6">
        {parts.length === 0 && <p className="text-soft">It says nothing yet.</p>}
        {parts.map((part, index) => (
          <section key={index} aria-label={part.heading ?? title} className="flex flex-col gap-1">
            {part.heading && <h3 className="font-serif">{part.heading}</h3>}
            <Part part={part} />
          </section>
        ))}
      </div>
    </details>
  )
}

function Part({ part: { look, lines, heading } }: { part: DocumentPart }) {
  if (look === 'prompt') {
    return (
      <div
        role="group"
        aria-label={heading}
        tabIndex={0}
        className="bg-shade border-line max-h-[60dvh] overflow-auto rounded-sm border p-3 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
      >
        {lines.map(visibleText)}
      </div>
    )
  }
  if (look === 'text')
    return <p className="max-w-prose wrap-anywhere whitespace-pre-line">{lines.map(visibleText)}</p>
  return (
    <ul className="max-w-prose list-disc ps-5">
      {lines.map((line, index) => (
        <li key={index} className="wrap-anywhere">
          {visibleText(line)}
        </li>
      ))}
    </ul>
  )
}
