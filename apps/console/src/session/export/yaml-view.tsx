import type { ExportedWorkflow, SessionId } from '@parley/contracts'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { visibleText } from '../../ui/visible-text.ts'

interface YamlViewProps {
  readonly exported: ExportedWorkflow
  readonly sessionId: SessionId
}

/** A page that holds more than this gets slow; the file has all of it. */
const SHOWN_LENGTH = 100_000

/** The file's text, to read, to copy and to save. */
export function YamlView({ exported: { fileName, yaml }, sessionId }: YamlViewProps) {
  const [copied, setCopied] = useState<'not yet' | 'done' | 'failed'>('not yet')
  const isCut = yaml.length > SHOWN_LENGTH
  const copy = () =>
    void navigator.clipboard
      .writeText(yaml)
      .then(() => setCopied('done'))
      .catch(() => setCopied('failed'))
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <a
          href={`/v1/sessions/${encodeURIComponent(sessionId)}/export`}
          download={fileName}
          className="bg-accent text-on-accent inline-flex min-h-9 items-center rounded-md px-3.5 text-sm font-medium hover:opacity-90 max-sm:min-h-11"
        >
          Download {fileName}
        </a>
        <Button onClick={copy}>Copy</Button>
        <p role="status" className="text-soft text-sm">
          {copied === 'done' && 'Copied.'}
        </p>
      </div>
      {copied === 'failed' && (
        <Notice>
          The browser does not let this page copy. Download the file, or mark the text and copy it.
        </Notice>
      )}
      <pre
        role="group"
        aria-label={fileName}
        tabIndex={0}
        dir="ltr"
        className="bg-shade border-line max-h-[32rem] overflow-auto rounded-sm border px-3 py-2 font-mono text-xs leading-5"
      >
        {visibleText(yaml.slice(0, SHOWN_LENGTH))}
      </pre>
      {isCut && <p className="text-soft text-sm">This is the beginning; the file has all of it.</p>}
    </>
  )
}
