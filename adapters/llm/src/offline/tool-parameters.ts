import type { Json } from '@parley/contracts'
import type { ToolDeclaration } from '@parley/engine'

/** What a tool takes, by name. */
export const propertiesOf = ({
  inputSchema: { properties },
}: ToolDeclaration): Readonly<Record<string, Json>> =>
  typeof properties === 'object' && properties !== null && !Array.isArray(properties) ? properties : {}

/** What of it has to be given. */
export const requiredOf = ({ inputSchema: { required } }: ToolDeclaration): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
