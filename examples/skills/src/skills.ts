import type { SkillDefinition } from '@helix-agents/sdk';

export const skills: readonly SkillDefinition[] = [
  {
    name: 'refunds',
    description: 'How to give money back. Use when a customer wants a refund of an order.',
    body: [
      '# Refunds',
      '',
      'Read references/limits.md before you promise anything.',
      'Ask for the number of the order, then refund it to the card that paid.',
    ].join('\n'),
    resources: {
      'references/limits.md':
        'Up to 50 euros: refund at once.\nAbove 50 euros: a manager has to agree.',
    },
  },
  {
    name: 'shipping',
    description: 'What shipping costs and how long a parcel takes.',
    body: '# Shipping\n\nA parcel costs 5 euros and takes two days. Above 40 euros it is free.',
  },
  {
    name: 'tone',
    description: 'How this shop speaks to customers.',
    body: '# Tone\n\nBe brief and friendly. Never blame the customer.',
  },
];
