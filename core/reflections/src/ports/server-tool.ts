/** A tool that the provider calls over HTTP with a JSON body while it speaks. */
export interface ServerTool {
  readonly name: string
  /** When the model should use it, and for what. */
  readonly description: string
  readonly url: string
  readonly headers: Readonly<Record<string, HeaderValue>>
  readonly parameters: Readonly<Record<string, ToolParameter>>
  /** From 5 to 300. */
  readonly timeoutSeconds: number
}

/** A fixed value, or one that the provider fills in: a stored secret or a variable of the conversation. */
export type HeaderValue = string | { readonly secretId: string } | { readonly variable: string }

export interface ToolParameter {
  readonly type: 'string' | 'number' | 'integer' | 'boolean'
  readonly isRequired: boolean
  readonly value: ParameterSource
}

/** The origin of a value. The model sees only the values that it gives. */
export type ParameterSource =
  | { readonly kind: 'model'; readonly description: string; readonly oneOf?: readonly string[] }
  | { readonly kind: 'variable'; readonly variable: string }
  | { readonly kind: 'constant'; readonly constant: string | number | boolean }
