// Finds possible mutants of a source file, and writes the file with all of them, each behind a switch.
import { parseSync } from 'oxc-parser'

const RANKS = ['owner', 'admin', 'operator', 'viewer', 'guest']

const OPPOSITES = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
}
const BOUNDARIES = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }

const OTHER_METHODS = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
}
/** Methods whose call can be replaced by its receiver. */
const DROPPABLE = new Set(['filter', 'trim', 'toSorted', 'toReversed', 'toLowerCase', 'slice'])

/** Properties with texts for people: no rule depends on them. */
const FOR_PEOPLE = new Set(['message', 'fix'])
const TYPES = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'superTypeArguments',
  'implements',
])
const LOOPS = new Set([
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
])

/** Returns the file without mutants, with counters in its loops and calls. */
export const withCountedTurns = (file, source) => rewrite(file, source, 0, false).code

/** Returns `{ file, line, column, original, mutant }` for each mutant. The ids in the code start at `firstId`. */
export const findMutants = (file, source, firstId) => rewrite(file, source, firstId, true)

function rewrite(file, source, firstId, isMutated) {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  const mutants = []
  const text = (node) => source.slice(node.start, node.end)

  const add = (node, mutant) => {
    const before = source.slice(0, node.start).split('\n')
    mutants.push({
      file,
      line: before.length,
      column: before.at(-1).length + 1,
      original: oneLine(text(node)),
      mutant: oneLine(mutant),
    })
    return firstId + mutants.length - 1
  }

  /** The text of a node, with the switches inside it. */
  function write(node, place = {}) {
    if (!node) return ''
    const variants = isMutated ? variantsOf(node, place) : []
    let written = writeInside(node, place)
    for (const variant of variants)
      written = `parleyMutant(${add(node, variant)}) ? (${variant}) : ${written}`
    if (place.isLoop) return `{ parleyTurn(); ${written} }`
    return variants.length > 0 ? `(${written})` : written
  }

  function writeInside(node, place) {
    const inner = childrenOf(node, place).toSorted((a, b) => a.node.start - b.node.start)
    let written = ''
    let at = node.start
    for (const { node: child, place: where } of inner) {
      written += source.slice(at, child.start) + write(child, where)
      at = child.end
    }
    written += source.slice(at, node.end)
    if (node.type === 'BlockStatement' && place.isBody) {
      const emptied = isMutated && node.body.length > 1 ? `if (parleyMutant(${add(node, '{}')})) return;` : ''
      return `{ parleyTurn(); ${emptied} ${written.slice(1)}`
    }
    if (node.type !== 'ExpressionStatement' || !isMutated) return written
    // Needs braces: an `else` may follow, and without a semicolon it could join the line before.
    if (isRemovable(node.expression)) return `{ if (!parleyMutant(${add(node, 'nothing')})) { ${written} } }`
    return written === text(node) ? written : `{ ${written} }`
  }

  function variantsOf(node, { parent, key, isTest, isChained, isSpread }) {
    if (node.type === 'LogicalExpression' && isSpread && node.operator === '&&') return ['false']
    if (isChained && node.type !== 'ChainExpression') return []
    if (isTest) return testVariants(node, parent)
    const { operator, left, right } = node
    switch (node.type) {
      case 'BinaryExpression':
        if (!(operator in OPPOSITES) || (operator === '+' && [left, right].some(isText))) return []
        return OPPOSITES[operator].map((other) => `${text(left)} ${other} ${text(right)}`)
      case 'LogicalExpression':
        if (operator === '??') return [text(left), text(right)]
        return [text(left), text(right), `(${text(left)}) ${OPPOSITES[operator][0]} (${text(right)})`]
      case 'AssignmentExpression':
        return operator in OPPOSITES ? [`${text(left)} ${OPPOSITES[operator][0]} ${text(right)}`] : []
      case 'UnaryExpression':
        return operator === '!' ? [text(node.argument)] : []
      case 'Literal':
        return literalVariants(node, parent, key)
      case 'ArrayExpression':
        return node.elements.length > 0 ? ['[]'] : []
      case 'ChainExpression':
        return optionalsIn(node).map(
          (end) => text(node).slice(0, end - node.start) + withoutOptional(source.slice(end, node.end)),
        )
      case 'CallExpression':
        return callVariants(node)
      default:
        return []
    }
  }

  /** In a condition, 'always' and 'never' are better mutants than the other operator. */
  function testVariants(node, parent) {
    const always = LOOPS.has(parent.type) ? ['false'] : ['true', 'false']
    if (node.type === 'BinaryExpression' && node.operator in BOUNDARIES)
      return [...always, `${text(node.left)} ${BOUNDARIES[node.operator]} ${text(node.right)}`]
    if (node.type === 'LogicalExpression') return [...always, text(node.left), text(node.right)]
    return always
  }

  function callVariants({ callee, start, end }) {
    if (callee.type !== 'MemberExpression' || callee.computed) return []
    const { object, property } = callee
    const other = Object.hasOwn(OTHER_METHODS, property.name) && OTHER_METHODS[property.name]
    if (other) return [source.slice(start, property.start) + other + source.slice(property.end, end)]
    return DROPPABLE.has(property.name) ? [text(object)] : []
  }

  const code = write(program)
  return { code, mutants }
}

function childrenOf(node, place) {
  const found = []
  for (const [key, value] of Object.entries(node)) {
    if (TYPES.has(key)) continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child) || isLeftAlone(node, key, child)) continue
      // For `...(a !== undefined && { a })`, change only whether the property exists.
      if (place.isSpread && node.type === 'LogicalExpression' && key === 'left') continue
      found.push({ node: child, place: placeOf(node, key, place) })
    }
  }
  return found
}

function placeOf(parent, key, place) {
  return {
    parent,
    key,
    isTest: key === 'test' && parent.type !== 'SwitchCase',
    isLoop: key === 'body' && LOOPS.has(parent.type),
    isBody: key === 'body' && /Function/.test(parent.type),
    // In `a?.b.c`, only the whole chain can be replaced.
    isChained:
      parent.type === 'ChainExpression' || (place.isChained && (key === 'object' || key === 'callee')),
    isSpread:
      parent.type === 'SpreadElement' || (place.isSpread && parent.type === 'ParenthesizedExpression'),
  }
}

function literalVariants(node, parent, key) {
  const { value } = node
  if (typeof value === 'boolean') return [String(!value)]
  if (typeof value === 'number') return numberVariants(value)
  if (typeof value !== 'string') return []
  if (RANKS.includes(value)) return [`'${RANKS[RANKS.indexOf(value) + 1] ?? 'viewer'}'`]
  const isValue =
    (parent.type === 'Property' && key === 'value') ||
    ['ArrayExpression', 'ReturnStatement', 'ConditionalExpression', 'ArrowFunctionExpression'].includes(
      parent.type,
    )
  return isValue && /^[a-z][\w:-]*$/.test(value) ? ["''"] : []
}

/** Larger numbers are sizes and times: settings, not rules. */
function numberVariants(value) {
  if (value === 1) return ['2', '0']
  return value <= 10 ? [String(value + 1)] : []
}

const isNode = (value) => typeof value === 'object' && value !== null && typeof value.type === 'string'

/** Nodes that are not executed, or do not matter to a rule. */
function isLeftAlone(node, key, child) {
  if (child.type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(child.type)) return true
  if (/^(Import|ExportAll|ExportSpecifier)/.test(child.type)) return true
  if ((node.type === 'Property' || node.type === 'PropertyDefinition') && key === 'key' && !node.computed)
    return true
  if (node.type === 'Property' && !node.computed && FOR_PEOPLE.has(node.key.name)) return true
  if (node.type === 'Property' && node.shorthand && child.type !== 'AssignmentPattern') return true
  if (node.type === 'AssignmentExpression' && key === 'left') return true
  if (node.type === 'TemplateLiteral' && key === 'quasis') return true
  return node.type === 'ExpressionStatement' && node.directive !== undefined && node.directive !== null
}

const isText = (node) =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')

function isRemovable(expression) {
  const { type } = expression.type === 'AwaitExpression' ? expression.argument : expression
  return type === 'CallExpression' || type === 'ChainExpression' || type === 'AssignmentExpression'
    ? expression.callee?.type !== 'Super'
    : false
}

/** Finds each `?.` of a chain, except after an index, where only the compiler needs it. */
function optionalsIn({ expression }) {
  const ends = []
  for (let node = expression; node; node = receiverOf(node)) {
    if (node.optional && !isIndexed(receiverOf(node))) ends.push(receiverOf(node).end)
  }
  return ends
}

const receiverOf = (node) => (node.type === 'CallExpression' ? node.callee : node.object)

const isIndexed = (node) =>
  (node.type === 'MemberExpression' && node.computed) ||
  (node.type === 'CallExpression' && node.callee.property?.name === 'at')

const withoutOptional = (rest) => rest.replace(/^\s*\?\.(?=[[(])/, '').replace(/^\s*\?\./, '.')

const oneLine = (text) => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 90 ? `${line.slice(0, 87)}…` : line
}
