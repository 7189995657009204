// Links between objects.
import { describe, expect, it } from 'vitest'
import type { ObjectItem } from './object-item.ts'
import { relationsOf } from './relations.ts'

const objects: readonly ObjectItem[] = [
  { name: 'project', label: 'Project', fields: { name: { type: 'text' } } },
  {
    name: 'task',
    label: 'Task',
    fields: {
      project: { type: 'lookup', label: 'Project', reference: 'project' },
      parent: { type: 'tree' },
      others: { type: 'lookup', label: 'Others', reference: 'task', multiple: true },
    },
  },
  { name: 'note', label: 'Note', fields: { task: { type: 'master_detail', reference: 'task' } } },
]
const said = (name: string) => relationsOf(objects, name).map(({ from, field, to }) => `${from}.${field} ${to}`)

describe('the relations of an object', () => {
  it('are the links to it, then its own, a tree and lists included', () => {
    expect(said('task')).toEqual(['note.task task', 'task.project project', 'task.parent task', 'task.others task'])
    expect(said('project')).toEqual(['task.project project'])
  })

  it('say what things are called', () => {
    expect(relationsOf(objects, 'note')[0]).toMatchObject({ fromLabel: 'Note', fieldLabel: 'task', toLabel: 'Task' })
  })
})
