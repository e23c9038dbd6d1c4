import { expect, test } from 'vitest'
import type { CallLine } from './call-state.ts'
import { cutAtEnd } from './cut-at-end.ts'

const LONG = 'In Oslo, in a house by the sea.'
const line = (who: CallLine['who'], text: string): CallLine => ({ id: 1, who, text })
const kept = (role: 'user' | 'assistant', text: string) => ({
  role,
  content: text === '' ? [] : [{ type: 'text' as const, text }],
})
const SAID = [line('agent', 'Good day.'), line('you', 'Where?'), line('agent', LONG)]
const ASKED = [kept('assistant', 'Good day.'), kept('user', 'Where?')]

test.each<[string, readonly CallLine[], readonly ReturnType<typeof kept>[], string | undefined]>([
  ['one that was heard whole stays', SAID, [...ASKED, kept('assistant', LONG)], undefined],
  [
    'one that was hung up on ends where it was heard',
    SAID,
    [...ASKED, kept('assistant', 'In Oslo,')],
    'In Oslo,',
  ],
  ['one of which nothing was heard is empty', SAID, ASKED, ''],
  ['and so is one that was kept without words', SAID, [...ASKED, kept('assistant', '')], ''],
  ['a greeting is cut as well', [line('agent', 'Good day.')], [kept('assistant', 'Good')], 'Good'],
  ['a transcript of an earlier call cuts nothing', SAID, [kept('user', 'When?')], undefined],
  [
    'one that was cut before stays so',
    [line('you', 'Where?'), { ...line('agent', 'In Oslo'), isCut: true }],
    [kept('user', 'Where?'), kept('assistant', 'In')],
    undefined,
  ],
  ['who spoke last was not told anything', [line('you', 'Where?')], [kept('user', 'Where?')], undefined],
])('[V16] %s', (_, lines, transcript, heard) => {
  expect(cutAtEnd(lines, transcript)?.heard).toBe(heard)
})
