import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import {
  callTools,
  END_CALL,
  markAsOffline,
  createAnsweringModel,
  createTestedAgent,
} from './agent-test.fixture.ts'

const simulationTest: ElevenLabs.conversationalAi.TestsCreateRequestBody.Simulation = {
  type: 'simulation',
  name: 'Talks',
  simulationScenario: 'Ada says "Good morning." and then "Which city?"',
  successConditions: ['It says "Paris".', 'It never says "Rome".'],
}

test('[P14] offline, the person says the quoted texts of the scenario, and each condition is judged', async () => {
  const { run } = await createTestedAgent(createAnsweringModel('Welcome.', 'Paris.'), {
    agent: { firstMessage: 'Hello.' },
  })
  expect(await run([simulationTest])).toMatchObject([
    {
      status: 'passed',
      agentResponses: [
        { role: 'agent', message: 'Hello.' },
        { role: 'user', message: 'Good morning.' },
        { role: 'agent', message: 'Welcome.' },
        { role: 'user', message: 'Which city?' },
        { role: 'agent', message: 'Paris.' },
      ],
    },
  ])
})

test.each([
  ['one unmet condition fails it', ['Paris, not Rome.', 'Yes.'], {}, 'failed', 4],
  ['it stops at its turn limit', ['Paris.'], { simulationMaxTurns: 1 }, 'passed', 2],
  ['without conditions nothing passes', ['Paris.', '.'], { successConditions: [] }, 'failed', 4],
])('[P14] %s', async (_, answers, change, status, entries) => {
  const { run } = await createTestedAgent(createAnsweringModel(...answers))
  const [outcome] = await run([{ ...simulationTest, ...change }])
  expect(outcome).toMatchObject({ status })
  expect(outcome?.agentResponses).toHaveLength(entries)
})

test('[P14] a model plays the person until they have nothing to add', async () => {
  const model = createScriptedModel([
    createAnswerScript('Which city?'),
    createAnswerScript('Paris.'),
    createAnswerScript('CONVERSATION OVER'),
    createAnswerScript('{"result":"success","reason":"Yes."}'),
    createAnswerScript('{"result":"failure","reason":"No."}'),
  ])
  const { run } = await createTestedAgent(model)
  expect(await run([simulationTest])).toMatchObject([
    {
      status: 'failed',
      agentResponses: [{ message: 'Which city?' }, { message: 'Paris.' }],
      conditionResult: { rationale: { summary: 'No.', messages: ['Yes.', 'No.'] } },
    },
  ])
})

test('[P14] an agent that hangs up ends the simulation', async () => {
  const model = markAsOffline(createScriptedModel([callTools(['end_call', {}])]))
  const { run } = await createTestedAgent(model, {
    agent: { firstMessage: 'Paris here.', prompt: { builtInTools: { endCall: END_CALL } } },
  })
  expect(await run([simulationTest])).toMatchObject([{ status: 'passed' }])
})
