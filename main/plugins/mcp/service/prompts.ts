// Prompts: beginnings of conversations a person picks from a list. Text only; what they lead to is done by tools.
import { dataNotice } from './tool.ts'

/** A prompt, as it is listed and as it is filled in. */
export interface Prompt {
  readonly listed: {
    readonly name: string
    readonly title: string
    readonly description: string
    readonly arguments: { name: string; description: string; required: boolean }[]
  }
  /** @param given every required argument is there */
  text(given: Readonly<Record<string, string | undefined>>): string
}

/** All prompts. */
export const prompts: readonly Prompt[] = [
  {
    listed: {
      name: 'summarise_records',
      title: 'Summarise records',
      description: 'Reads records of an object and tells what stands out.',
      arguments: [
        { name: 'object', description: 'Name of the object, as list_objects answers it.', required: true },
        { name: 'focus', description: 'What to look at, in your own words.', required: false },
      ],
    },
    text: ({ object, focus }) =>
      [
        `Summarise the records of the object ${JSON.stringify(object)}.`,
        'Call describe_object first, then aggregate_records for totals and query_records for examples.',
        ...(focus === undefined || focus === '' ? [] : [`Look at this above all: ${JSON.stringify(focus)}.`]),
        'Name the records you speak of by their display field and id. Change nothing.',
        dataNotice,
      ].join('\n'),
  },
  {
    listed: {
      name: 'make_table',
      title: 'Make a table',
      description: 'Designs an object for what you want to keep, and makes it once you agree.',
      arguments: [{ name: 'purpose', description: 'What the table is for, in your own words.', required: true }],
    },
    text: ({ purpose }) =>
      [
        `Design a table (an object) for this purpose: ${JSON.stringify(purpose)}.`,
        'Call list_objects to see what exists and refer to it where that makes sense.',
        'Propose a name in snake_case and the fields with their types; then call plan_metadata_change with type "object" and tell what it would do.',
        'Call save_metadata only once the user agrees.',
      ].join('\n'),
  },
]
