import { expect, test, vi } from 'vitest'
import { readPaste } from './reflection-frame.tsx'

class FakeElement {
  readonly field: boolean
  constructor(field: boolean) {
    this.field = field
  }
  closest() {
    return this.field ? this : null
  }
}
vi.stubGlobal('Element', FakeElement)

const clipboardData = { files: [], getData: () => 'A letter' } as unknown as DataTransfer
const paste = (target: unknown) => readPaste({ clipboardData, target: target as EventTarget })

test.each([
  ['into a field is left to the field', new FakeElement(true), undefined],
  ['on the page is accepted', new FakeElement(false), { files: [], text: 'A letter' }],
  ['without a target is accepted', null, { files: [], text: 'A letter' }],
])('a paste %s', (_, target, expected) => expect(paste(target)).toEqual(expected))
