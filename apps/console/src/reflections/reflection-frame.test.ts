import { expect, test, vi } from 'vitest'
import { pastedOutside } from './reflection-frame.tsx'

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
const paste = (target: unknown) => pastedOutside({ clipboardData, target: target as EventTarget })

test.each([
  ['into a field, is the field’s', new FakeElement(true), undefined],
  ['on the page, is taken', new FakeElement(false), { files: [], text: 'A letter' }],
  ['nowhere at all, is taken', null, { files: [], text: 'A letter' }],
])('what is pasted %s', (_, target, expected) => expect(paste(target)).toEqual(expected))
