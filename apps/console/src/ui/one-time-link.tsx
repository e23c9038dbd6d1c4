import { isLocalUrl, LOCAL_LINK_NOTE } from '@parley/contracts'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.tsx'
import { Status } from './notice.tsx'
import { useCopy } from './use-copy.ts'

interface OneTimeLinkProps {
  readonly label: string
  readonly url: string
  readonly action?: ReactNode
  readonly onClose: () => void
  readonly children?: ReactNode
}

/** A new link. It is shown once and exists only in this page. */
export function OneTimeLink({ label, url, action, onClose, children }: OneTimeLinkProps) {
  const { result, copy } = useCopy(url)
  const box = useRef<HTMLElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  useEffect(() => {
    field.current?.select()
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [url])
  const copyOrSelect = async () => {
    if ((await copy()) === 'refused') field.current?.select()
  }
  return (
    <section ref={box} aria-label={label} className="border-accent flex flex-col gap-3 rounded-md border p-4">
      <label htmlFor={id} className="text-sm leading-6">
        <strong className="font-semibold">Copy this link now.</strong> It can't be shown again. {children}
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          ref={field}
          id={id}
          readOnly
          value={url}
          onFocus={(event) => event.target.select()}
          className="border-edge bg-paper min-h-9 min-w-0 flex-1 basis-64 rounded-md border px-2 font-mono text-sm max-sm:min-h-11"
        />
        <Button variant="primary" onClick={() => void copyOrSelect()}>
          Copy
        </Button>
        {action}
        <Button variant="ghost" onClick={onClose}>
          Done
        </Button>
      </div>
      {isLocalUrl(url) && <p className="border-edge border-s-2 ps-3 text-sm leading-6">{LOCAL_LINK_NOTE}</p>}
      <Status>{COPY_RESULTS[result]}</Status>
    </section>
  )
}

const COPY_RESULTS = {
  none: '',
  copied: 'Copied.',
  refused: 'Your browser blocked copying. The link is selected: press Ctrl-C or ⌘-C.',
} as const
