// Proves that no two operations the screens ask are kept under one key: whoever asks second would be shown what the first
// was answered, in another shape.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import type { Expression, ObjectExpression } from 'oxc-parser'
import { expect, it } from 'vitest'
import { listFiles, repositoryRoot } from './script.ts'

interface Question {
  readonly place: string
  /** As it is written, behind the parts of constants; what is only known when it is asked is `*`. */
  readonly key: string
  /** The operation that answers it. */
  readonly operation: string
}

/** The questions of one file: objects with a key and what answers it. */
function questionsOf(path: string, source: string, constants: Map<string, Expression>): Question[] {
  const found: Question[] = []
  const { program } = parseSync(path, source)
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === 'Identifier' && init !== null) constants.set(`${path} ${id.name}`, init)
      if (id.type === 'Identifier' && init !== null) constants.set(id.name, init)
    },
    ObjectExpression: (node) => {
      const key = valueOf(node, 'queryKey')
      if (key === undefined || valueOf(node, 'queryFn') === undefined) return
      const line = source.slice(0, node.start).split('\n').length
      const operation = /\bcall\w*\('(\w+)'/.exec(source.slice(node.start, node.end))?.[1] ?? `${line}`
      found.push({ place: `${path}:${line}`, key: JSON.stringify(partsOf(key, path, constants)), operation })
    },
  }).visit(program)
  return found
}

function valueOf({ properties }: ObjectExpression, name: string): Expression | undefined {
  for (const each of properties)
    if (each.type === 'Property' && each.key.type === 'Identifier' && each.key.name === name) return each.value
  return undefined
}

function partsOf(node: Expression, path: string, constants: ReadonlyMap<string, Expression>): string[] {
  if (node.type === 'TSAsExpression') return partsOf(node.expression, path, constants)
  if (node.type === 'Identifier') {
    const known = constants.get(`${path} ${node.name}`) ?? constants.get(node.name)
    return known === undefined ? ['*'] : partsOf(known, path, constants)
  }
  if (node.type === 'CallExpression' && node.callee.type === 'Identifier') return [`${node.callee.name}()`]
  if (node.type !== 'ArrayExpression') return ['*']
  return node.elements.flatMap((each) => {
    if (each?.type === 'SpreadElement') return partsOf(each.argument, path, constants)
    return each?.type === 'Literal' ? [String(each.value)] : ['*']
  })
}

it('no two operations that screens ask have one key', () => {
  const root = repositoryRoot()
  const constants = new Map<string, Expression>()
  const files = listFiles(root, 'renderer').filter((path) => /(?<!\.test)\.tsx?$/.test(path))
  const sources = files.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  // Twice: constants of one file are used in another.
  for (const [path, source] of sources) questionsOf(path, source, constants)
  const questions = sources.flatMap(([path, source]) => questionsOf(path, source, constants))
  expect(questions.length).toBeGreaterThan(50)
  const first = new Map<string, Question>()
  for (const question of questions) if (!first.has(question.key)) first.set(question.key, question)
  expect(questions.filter(({ key, operation }) => first.get(key)!.operation !== operation)).toEqual([])
})
