/** Words of complaints: a chunk that speaks of them is lifted a little by the symptom rerank. Data, not code. */

export const SYMPTOM_WORDS: readonly string[] =
  `pain ache aching headache tenderness cramps dyspnea breathless breathlessness orthopnea wheeze wheezing cough
  sputum hemoptysis fever febrile chills rigors sweats nausea vomiting emesis hematemesis melena diarrhea constipation
  bleeding dizziness lightheaded syncope palpitations fatigue weakness malaise anorexia confusion confused agitation
  agitated delirium lethargy drowsy somnolent hallucinations seizure tremor numbness tingling edema swelling rash itching
  pruritus dysuria hematuria oliguria thirst dysphagia hoarse anxious anxiety insomnia apnea cyanosis jaundice`.split(
    /\s+/u,
  );
