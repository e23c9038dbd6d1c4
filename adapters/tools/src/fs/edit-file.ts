import { EditFileInput, toolInput } from '@parley/contracts'
import { refuse, type Tool } from '@parley/engine'
import { editText } from './edit-text.ts'
import type { FileHost } from './file-host.ts'
import { findBefore } from './find-before.ts'
import { noSuchFile } from './no-such-file.ts'
import { planChange } from './plan-change.ts'
import { decodeText, encodeText } from './text-encoding.ts'

export const editFile = (host: FileHost): Tool<EditFileInput> => ({
  name: 'edit_file',
  description:
    'Replaces text in a file. old_text has to stand there exactly, and once unless replace_all is set. Read the file first.',
  input: toolInput(EditFileInput),
  async plan({ path, ...edit }, signal) {
    const found = await findBefore(path, host, signal)
    if (found.kind === 'refused') return found
    const { scope, place, before } = found
    if (!before) return noSuchFile(scope, place)

    const decoded = decodeText(before.bytes)
    if (decoded.kind === 'binary' || decoded.isLossy)
      return refuse(
        `${place.shown} is not all text in UTF-8 or UTF-16, so it cannot be edited here.`,
        'tool_failed',
        place.shown,
      )
    const no = (why: string) => refuse(`${place.shown} was not changed: ${why}`, 'tool_failed', place.shown)
    // Whether a text stands in a value that is not shown must not be told either.
    const seen = editText(host.hidden.mask(decoded.text), edit)
    if (seen.kind === 'not-edited') return no(seen.why)
    const edited = editText(decoded.text, edit)
    if (edited.kind === 'not-edited' || edited.places !== seen.places) return no(AROUND_SECRET)
    const after = encodeText(edited.text, decoded.encoding)
    const done = `Changed ${place.shown} in ${edited.places === 1 ? 'one place' : `${edited.places} places`}.`
    return planChange({ scope, place, before, after, done }, host)
  },
})

const AROUND_SECRET =
  'old_text stands at a value that is not shown here. Give more of what is around the place that is meant.'
