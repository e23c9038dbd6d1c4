/** A conversation in the vendor's format. */
export const wireConversation = {
  agent_id: 'agent_1',
  conversation_id: 'conv_1',
  status: 'done',
  has_audio: true,
  has_user_audio: true,
  has_response_audio: true,
  metadata: {
    start_time_unix_secs: 1_767_268_800,
    call_duration_secs: 31,
    termination_reason: 'Client ended call',
  },
  conversation_initiation_client_data: { dynamic_variables: { reflection_id: 'rfl_1', depth: 2 } },
  transcript: [
    { role: 'agent', message: 'Hello.', time_in_call_secs: 0, interrupted: false, tool_calls: null },
    { role: 'user', message: 'Where did you live?', time_in_call_secs: 2 },
    {
      role: 'agent',
      message: 'In Ankara, and...',
      original_message: 'In Ankara, and before that in a place that I never told anybody of.',
      time_in_call_secs: 5,
      interrupted: true,
      tool_calls: [
        {
          request_id: 'call_1',
          tool_name: 'retrieve_context',
          params_as_json: '{"query":"homes"}',
          tool_has_been_called: true,
        },
        { request_id: 'call_2', tool_name: 'end_call', tool_has_been_called: false },
      ],
      tool_results: [
        {
          request_id: 'call_1',
          tool_name: 'retrieve_context',
          result_value: '[]',
          is_error: false,
          tool_has_been_called: true,
        },
      ],
    },
  ],
}
