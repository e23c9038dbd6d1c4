import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AgentTest, ServerTool } from '../ports/voice-provider.ts'
import { AgentTemplate } from '../template/agent-template.ts'
import { findDifferences } from '../template/find-differences.ts'
import type { VoiceProviderUnderTest } from './voice-provider-under-test.ts'

const { signal } = new AbortController()

const template = AgentTemplate.parse({
  name: 'Conformance',
  prompt: 'You are brief. You speak with {{user_name}}. 🌊',
  firstMessage: 'Hello {{user_name}}.',
  voiceId: 'cjVigY5qzO86Huf0OWal',
  placeholders: { user_name: 'nobody' },
  endCall: { guidance: 'When they say goodbye.' },
})

const tool: ServerTool = {
  name: 'conformance_tool',
  description: 'Looks something up.',
  url: 'http://127.0.0.1:9/conformance',
  timeoutSeconds: 20,
  headers: { 'x-plain': 'text', 'x-variable': { variable: 'user_name' } },
  parameters: {
    query: { type: 'string', isRequired: true, value: { kind: 'model', description: 'What to look for' } },
    depth: { type: 'integer', isRequired: false, value: { kind: 'constant', constant: 2 } },
    who: { type: 'string', isRequired: true, value: { kind: 'variable', variable: 'user_name' } },
  },
}

const answerTest = {
  kind: 'answer',
  name: 'conformance answer',
  variables: { user_name: 'Ada' },
  history: [{ role: 'person', text: 'Hello?' }],
  condition: 'The agent says something.',
  goodAnswers: ['Hello.'],
  badAnswers: ['Go away.'],
} as const satisfies AgentTest

/** What every voice provider does, whoever runs it. */
export function describeVoiceProvider(name: string, open: () => Promise<VoiceProviderUnderTest>) {
  describe(`VoiceProvider: ${name}`, () => {
    let under: VoiceProviderUnderTest
    beforeAll(async () => {
      under = await open()
    })
    afterAll(() => under?.close())

    const issue = async (agentId: string) => {
      const issued = await under.provider.getSignedUrl(agentId, signal)
      if (issued.kind !== 'signed_url') throw new Error(issued.reason)
      return issued
    }

    test('[P13] an agent is read back as it was created and as it was updated', async () => {
      const { provider } = under
      const toolId = await provider.ensureTool(tool, signal)
      const wanted = { ...template, toolIds: [toolId] }
      const agentId = await provider.createAgent(wanted, signal)
      const held = await provider.readAgent(agentId, signal)
      if (held.kind !== 'agent') throw new Error(held.reason)
      expect(held).toMatchObject({ agentId, unexpectedPaths: [] })
      expect(findDifferences(wanted, held.template)).toEqual([])

      const changed: AgentTemplate = {
        ...template,
        prompt: 'You are briefer.',
        toolIds: [],
        endCall: null,
        placeholders: { other: 1 },
        overrides: ['agent.firstMessage'],
        privacy: { recordVoice: true, retentionDays: null, zeroRetention: false },
      }
      expect(await provider.updateAgent(agentId, changed, signal)).toEqual({ kind: 'updated' })
      const after = await provider.readAgent(agentId, signal)
      if (after.kind !== 'agent') throw new Error(after.reason)
      expect(findDifferences(changed, after.template)).toEqual([])
    })

    test('[P13] an agent is listed until it is removed; removing it again does nothing', async () => {
      const { provider } = under
      const agentId = await provider.createAgent(template, signal)
      const listed = async () => (await provider.listAgents(signal)).map((agent) => agent.agentId)
      expect(await listed()).toContain(agentId)
      await provider.removeAgent(agentId, signal)
      await provider.removeAgent(agentId, signal)
      expect(await listed()).not.toContain(agentId)
    })

    test('[V6] a removed agent is not usable in any call', async () => {
      const { provider } = under
      const agentId = await provider.createAgent(template, signal)
      await provider.removeAgent(agentId, signal)
      const gone = { kind: 'agent_not_usable', agentId, reason: expect.stringMatching(/\w/) }
      expect(await provider.readAgent(agentId, signal)).toMatchObject(gone)
      expect(await provider.updateAgent(agentId, template, signal)).toMatchObject(gone)
      expect(await provider.getSignedUrl(agentId, signal)).toMatchObject(gone)
    })

    test('[V9] a signed URL is for one conversation and expires', async () => {
      const agentId = await under.provider.createAgent(template, signal)
      const [first, second] = await Promise.all([issue(agentId), issue(agentId)])
      expect(first.signedUrl).toMatch(/^wss?:/)
      expect(first.providerConversationId).not.toBe(second.providerConversationId)
      expect(Date.parse(first.expiresAt)).toBeGreaterThan(Date.now())
    })

    test('[V16] a conversation can be read until it is removed', async () => {
      const { provider } = under
      const agentId = await provider.createAgent(template, signal)
      const { signedUrl, providerConversationId } = await issue(agentId)
      await under.converse(signedUrl, 'What is the time?', { user_name: 'Ada' })

      const conversation = await vi.waitUntil(
        async () => {
          const read = await provider.readConversation(providerConversationId, signal)
          return read?.status === 'done' ? read : undefined
        },
        { timeout: 30_000, interval: 100 },
      )
      expect(conversation).toMatchObject({ agentId, variables: { user_name: 'Ada' } })
      expect(conversation.entries.slice(0, 2)).toMatchObject([
        { role: 'agent', text: 'Hello Ada.', isInterrupted: false },
        { role: 'person', text: 'What is the time?' },
      ])
      const listed = async () =>
        (await provider.listConversations({ agentId }, signal)).conversations.map((one) => one.conversationId)
      expect(await listed()).toEqual([providerConversationId])
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
      const later = await provider.listConversations({ agentId, after: tomorrow }, signal)
      expect(later.conversations).toEqual([])

      await provider.removeConversation(providerConversationId, signal)
      await provider.removeConversation(providerConversationId, signal)
      expect(await provider.readConversation(providerConversationId, signal)).toBeUndefined()
      expect(await listed()).toEqual([])
    })

    test('[V17] a running call is ended; an ended call stays ended', async () => {
      const { provider } = under
      const agentId = await provider.createAgent(template, signal)
      const { signedUrl, providerConversationId } = await issue(agentId)
      const call = await under.connect(signedUrl, { user_name: 'Ada' })
      await provider.endConversation(providerConversationId, signal)
      await expect(call.closed).resolves.toBeUndefined()
      await provider.endConversation(providerConversationId, signal)
      await provider.endConversation('conv_that_never_was', signal)
    })

    test('[V17] another account cannot end a call', async () => {
      const { provider, stranger } = under
      const agentId = await provider.createAgent(template, signal)
      const { signedUrl, providerConversationId } = await issue(agentId)
      const call = await under.connect(signedUrl, { user_name: 'Ada' })
      await expect(stranger.endConversation(providerConversationId, signal)).rejects.toMatchObject({
        code: 'provider_auth',
      })
      const held = await provider.readConversation(providerConversationId, signal)
      expect(held?.status).toMatch(/^(?:initiated|in-progress)$/)
      await provider.endConversation(providerConversationId, signal)
      await call.closed
    })

    test('[V15] tools and secrets are created once, however often they are ensured', async () => {
      const { provider } = under
      const toolId = await provider.ensureTool(tool, signal)
      expect(await provider.ensureTool({ ...tool, description: 'Otherwise.' }, signal)).toBe(toolId)
      const read = await provider.readTool(toolId, signal)
      expect(read).toEqual({ tool: { ...tool, description: 'Otherwise.' }, unexpectedPaths: [] })
      const elsewhere = await provider.ensureTool({ ...tool, url: `${tool.url}/elsewhere` }, signal)
      expect(elsewhere).not.toBe(toolId)
      await provider.removeTool(elsewhere, signal)
      await provider.removeTool(elsewhere, signal)
      expect(await provider.readTool(elsewhere, signal)).toBeUndefined()

      const secretId = await provider.ensureSecret('conformance_secret', 'made-up-value', signal)
      expect(await provider.ensureSecret('conformance_secret', 'another-made-up', signal)).toBe(secretId)
      expect(await provider.findSecret('conformance_secret', signal)).toBe(secretId)
      expect(await provider.findSecret('no_such_secret', signal)).toBeUndefined()
    })

    test('[V16] a webhook returns its secret only at creation', async () => {
      const wanted = { name: 'conformance', url: 'http://127.0.0.1:9/conformance-webhook' }
      const { webhookId, secret } = await under.provider.ensureWebhook(wanted, signal)
      expect(secret).toMatch(/\w{16}/)
      expect(await under.provider.ensureWebhook(wanted, signal)).toEqual({ webhookId })
    })

    test('[V9] the provider lists voices, each with a unique id', async () => {
      const voices = await under.provider.listVoices(signal)
      expect(voices.length).toBeGreaterThan(0)
      expect(new Set(voices.map(({ voiceId }) => voiceId)).size).toBe(voices.length)
      expect(voices).toContainEqual(
        expect.objectContaining({ kind: 'stock', name: expect.stringMatching(/./) }),
      )
    })

    test('[P14] a test is created once', async () => {
      const testId = await under.provider.ensureTest(answerTest, signal)
      const changed = { ...answerTest, condition: 'It is polite.' }
      expect(await under.provider.ensureTest(changed, signal)).toBe(testId)
    })

    test('[P14] [X5] tests are removed by the start of their names, and others stay', async () => {
      const { provider } = under
      const other = { ...answerTest, name: `other ${answerTest.name}` }
      const testId = await provider.ensureTest(answerTest, signal)
      const otherId = await provider.ensureTest(other, signal)
      await provider.removeTests(answerTest.name, signal)
      await provider.removeTests(answerTest.name, signal)
      expect(await provider.ensureTest(answerTest, signal)).not.toBe(testId)
      expect(await provider.ensureTest(other, signal)).toBe(otherId)
    })

    test('[P14] a run of tests returns a verdict for each test', async () => {
      const { provider } = under
      const agentId = await provider.createAgent(template, signal)
      const testId = await provider.ensureTest(answerTest, signal)
      const run = await provider.runTests(agentId, [testId], signal)
      if (run.kind !== 'run') throw new Error(run.reason)
      expect(run.results).toMatchObject([{ testId, verdict: expect.stringMatching(/^(passed|failed)$/) }])
    })

    test('[V9] a wrong key throws provider_auth', async () => {
      await expect(under.stranger.listAgents(signal)).rejects.toMatchObject({ code: 'provider_auth' })
      await expect(under.stranger.getSignedUrl('agent_1', signal)).rejects.toMatchObject({
        code: 'provider_auth',
      })
      await expect(under.stranger.readConversation('conv_1', signal)).rejects.toMatchObject({
        code: 'provider_auth',
      })
    })

    test('[V9] an aborted call is not carried out', async () => {
      const abort = new AbortController()
      abort.abort()
      const before = await under.provider.listAgents(signal)
      await expect(under.provider.createAgent(template, abort.signal)).rejects.toMatchObject({
        code: 'cancelled',
      })
      expect(await under.provider.listAgents(signal)).toHaveLength(before.length)
    })
  })
}
