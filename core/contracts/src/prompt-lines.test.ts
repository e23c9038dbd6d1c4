import { expect, test } from 'vitest'
import {
  CONVERSATION_ORIGINS,
  INTERVIEW_LINE,
  isConversationOrigin,
  isDossierOrigin,
  readAllowedActions,
  readMarkedPrompt,
  readOpenQuestions,
  readReflectionLine,
  saysConversationOver,
  writeAllowedActions,
  writeConversationOver,
  writeDossierOrigin,
  writeMarkedPrompt,
  writeOpenQuestions,
  writeReflectionLine,
} from './prompt-lines.ts'

test('[X2] every line that a prompt is written with is read back', () => {
  const prompt = { mark: '0a1b', policy: writeAllowedActions('ask, tell-more'), body: 'You are Ada.' }
  expect(readMarkedPrompt(writeMarkedPrompt(prompt))).toEqual(prompt)
  expect(readAllowedActions(prompt.policy)).toEqual(['ask', 'tell-more'])
  expect(readReflectionLine(writeReflectionLine('Ada', 'Bo'))).toEqual({ name: 'Ada', creator: 'Bo' })
  expect(readOpenQuestions(`${INTERVIEW_LINE}.\n\n${writeOpenQuestions('Who? And where?')}\n`)).toEqual([
    'Who?',
    'And where?',
  ])
  expect(saysConversationOver(JSON.stringify({ detail: writeConversationOver('. Say goodbye.') }))).toBe(true)
})

test('[X2] the origins of a prompt’s texts are told apart', () => {
  const dossiers = [writeDossierOrigin(), writeDossierOrigin('a conversation')]
  const conversations = Object.values(CONVERSATION_ORIGINS)
  expect([...dossiers, ...conversations].map(isDossierOrigin)).toEqual([true, true, false, false])
  expect([...dossiers, ...conversations].map(isConversationOrigin)).toEqual([false, false, true, true])
})

test.each([
  ['without a policy', 'You are Ada.'],
  ['with a policy that does not end', '[policy 0a1b]\nYou are Ada.'],
  ['with a policy that ends with another mark', '[policy 0a1b]\nx\n[end of policy 0a1c]\n\nYou are Ada.'],
])('[X2] a prompt %s has no marked parts', (_, prompt) => {
  expect(readMarkedPrompt(prompt)).toBeUndefined()
})
