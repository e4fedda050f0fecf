"""What a sample costs, in instructions: the emulated processor counts them without noise."""

import pytest

import cost

pytestmark = pytest.mark.long


@pytest.fixture
def guest(machines):
    return machines.guest("6.12", "cost")


def test_each_depth_prints_its_instructions(guest, capsys):
    with capsys.disabled():
        print()
        for depth in cost.DEPTHS:
            print(f"depth {depth}: {cost.per_sample(guest, f'depth_{depth}'):.1f} instructions "
                  f"per sample, {cost.per_first_sample(guest, f'depth_{depth}'):.1f} of the first 60")


def test_the_cost_of_a_sample_repeats(guest):
    """But for a rule that is asked for a sample sooner or later, of which there are 183."""
    first = cost.per_sample(guest, "depth_20")
    again = cost.per_sample(guest, "again")
    assert abs(first - again) < 0.05 * first


def test_a_frame_costs_few_instructions(guest):
    """A walk replays a rule of one word per frame, and the tree finds the stack it knows."""
    per_frame = (cost.per_sample(guest, "depth_127") - cost.per_sample(guest, "depth_20")) / 107
    assert 0 < per_frame < 150


def test_a_sample_at_depth_20_stays_cheap(guest):
    assert cost.per_sample(guest, "depth_20") < 5000


def test_a_member_of_a_group_costs_less_than_a_frame_times_ten(guest):
    one, most = cost.per_sample(guest, "depth_20"), cost.per_sample(guest, "members_4")
    assert 0 < (most - one) / 3 < 1000
