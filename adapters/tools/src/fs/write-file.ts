import { toolInput, WriteFileInput } from '@parley/contracts'
import type { Tool } from '@parley/engine'
import type { FileHost } from './file-host.ts'
import { findBefore } from './find-before.ts'
import { planChange } from './plan-change.ts'

export const writeFile = (host: FileHost): Tool<WriteFileInput> => ({
  name: 'write_file',
  description:
    'Makes a text file, or replaces all of what it holds. To change a part of a file, use edit_file.',
  input: toolInput(WriteFileInput),
  mayRepeat: true,
  async plan({ path, content }, signal) {
    const found = await findBefore(path, host, signal)
    if (found.kind === 'refused') return found
    const { place, before } = found
    const after = Buffer.from(content, 'utf8')
    const done = `${before ? 'Replaced' : 'Made'} ${place.shown}, ${after.length} bytes.`
    return planChange({ ...found, after, done }, host)
  },
})
